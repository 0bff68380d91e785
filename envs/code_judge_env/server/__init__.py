"""The server: sessions, their episodes, and the way to the judge."""
