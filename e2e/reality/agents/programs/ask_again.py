def ask_again(ask):
    """Once more where the connection breaks: an SDK does not retry a call whose stream has begun, an agent's loop does."""
    try:
        return ask()
    except Exception as error:
        if getattr(error, "status_code", None) is not None:
            raise
        return ask()
