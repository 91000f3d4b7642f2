"""From lines to rows: sessions and messages, and facts."""
