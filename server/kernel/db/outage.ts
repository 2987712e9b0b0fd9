/** SQLSTATE classes and codes after which the same transaction may succeed in a moment: lost or refused connections, timeouts, deadlocks. */
const sqlStates = /^(08...|53300|57014|57P0[1-4]|25P03|40001|40P01)$/
const systemErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/
/** What the driver itself says of a connection that is gone or did not come; these errors have no code. */
const driverMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/

/** True for an error of the database's absence or overload rather than of the statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code === undefined ? driverMessages.test(error.message) : sqlStates.test(code) || systemErrors.test(code)
}
