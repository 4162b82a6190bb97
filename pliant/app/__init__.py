"""App: a person: command line, live server, web page."""
