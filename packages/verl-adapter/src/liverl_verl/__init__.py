"""LiveRL inside verl: an agent loop whose agents live elsewhere and talk HTTP to a session of LiveRL's proxy."""
