import { type Logger, pino } from 'pino'

export type Log = Logger

/** Fields of a PostgreSQL error that quote rows and parameters, so they may contain arguments or e-mail addresses. */
const quoting = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters']

/**
 * What is logged of an error: its type, message, stack and other plain fields. Libraries attach objects to errors, such as
 * the connection with all its statements and its cancel key, or a response.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const plain = Object.entries(pino.stdSerializers.err(error)).filter(
    ([key, value]) => !quoting.includes(key) && !['object', 'function'].includes(typeof value),
  )
  const parts = error instanceof AggregateError ? { aggregateErrors: error.errors.map(loggedError) } : {}
  return { ...Object.fromEntries(plain), ...parts }
}

/**
 * JSON lines on stderr, so that stdout stays for people. Secrets are never logged: callers log ids, codes and counts.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: loggedError } },
    pino.destination(2),
  )
}
