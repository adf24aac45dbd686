"""What both the pages and the API do on behalf of a visitor: each action checks, changes and audits in one place."""
