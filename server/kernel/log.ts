import { type Logger, pino } from 'pino'

export type Log = Logger

/** PostgreSQL quotes rows and parameters in these members of an error, so they may hold arguments or e-mail addresses. */
const quoting = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters']

function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return Object.fromEntries(Object.entries(pino.stdSerializers.err(error)).filter(([key]) => !quoting.includes(key)))
}

/** JSON lines on stderr, so that stdout stays for people. Secrets never reach it: callers log ids, codes and counts. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutValues } },
    pino.destination(2),
  )
}
