/** Once more where the connection breaks: an SDK does not retry a call whose stream has begun, an agent's loop does. */
export async function askAgain(ask) {
  try {
    return await ask();
  } catch (error) {
    if (error.status !== undefined) throw error;
    return await ask();
  }
}
