/**
 * SQLSTATE classes and codes after which the same transaction may soon succeed: lost or refused connections, timeouts,
 * deadlocks. A refused password too: it is being rotated, and this process is restarted with the new one.
 */
const sqlStates = /^(08...|28P01|53300|57014|57P0[1-4]|25P03|40001|40P01)$/
const systemErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/
/** The driver's own messages for a lost or failed connection; these errors do not have a code. */
const driverMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/

/** True if the error is due to an unavailable or overloaded database rather than to the statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code === undefined ? driverMessages.test(error.message) : sqlStates.test(code) || systemErrors.test(code)
}
