import { type Logger, pino } from 'pino'

export type Log = Logger

/** Fields of a PostgreSQL error that quote rows and parameters, so they may contain arguments or e-mail addresses. */
const quoting = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters']

function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return Object.fromEntries(Object.entries(pino.stdSerializers.err(error)).filter(([key]) => !quoting.includes(key)))
}

/**
 * JSON lines on stderr, so that stdout stays for people. Secrets are never logged: callers log ids, codes and counts.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutValues } },
    pino.destination(2),
  )
}
