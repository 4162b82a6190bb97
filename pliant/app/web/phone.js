// "On a phone": the address for others on the network, as a code to photograph, where there is one.

/** Ask the server for it; without one the button stays away. */
export async function offerPhone() {
  const element = (id) => document.getElementById(id);
  const response = await fetch("phone.json");
  const { address, code } = response.ok ? await response.json() : { address: null };
  element("phone").hidden = address === null;
  if (address === null) return;
  element("phone-address").textContent = address;
  element("phone-code").hidden = code === null;
  if (code !== null) element("phone-code").src = code;
  element("phone").addEventListener("click", () => element("phone-dialog").showModal());
}
