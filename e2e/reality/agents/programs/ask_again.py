def ask_again(ask):
    """Once more where the connection breaks: an SDK does not retry a call whose stream has begun, an agent's loop does."""
    try:
        return ask()
    except Exception as error:
        if type(error).__name__ != "APIConnectionError" and not type(error).__module__.startswith("httpx"):
            raise
        return ask()
