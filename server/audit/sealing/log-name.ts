import { runtime } from '#server/kernel/runtime.ts'

/** One of a tenant's logs: that of a UTC day (YYYY-MM-DD), or the log of its closed days. */
export type LogName = string

export const sealLog: LogName = 'seals'

/** What follows the host in a log's name. */
export const logPath = (externalId: string, log: LogName): string =>
  `/t/${encodeURIComponent(externalId)}/${log === sealLog ? sealLog : `audit/${log}`}`

/**
 * The name of a log in its checkpoints: `<host>/t/<external id>/audit/<YYYY-MM-DD>` or `<host>/t/<external id>/seals`. After a
 * restore, `<host>/<logName>/t/…`.
 */
export const logOrigin = (externalId: string, log: LogName, logName: string | undefined): string =>
  `${new URL(runtime().config.baseUrl).host}${logName === undefined ? '' : `/${logName}`}${logPath(externalId, log)}`
