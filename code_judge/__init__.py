"""What all roles of the judge share: the contract, the settings and the work queue; and the master."""

__version__ = "0.1.0"
