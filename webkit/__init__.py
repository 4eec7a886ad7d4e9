"""What the floor page and the dealer's page share: pairing, live channel, base page, styles, server.

It knows no poker: no card, seat or chip is named here.

* ``server.WebServer``: one page server in a thread of its own; loopback by default.
* ``pairing.Pairing``: which devices may read or act, and how a new one is let in once.
* ``broadcast.Broadcast``: the live channel; every screen gets the whole fragment, at connect and at each change.
* ``pages.Site``: base page, login and pairing routes, and the only way to add a route: with the role it needs.
* ``language.Catalogue``: texts in French and English.
"""
