/**
 * The version of what processes on one database must agree on beyond its tables: 2 writes keyed records and rows
 * (decision 0035), 3 binds spans of executions (decision 0052), 4 binds what a reviewer reads by the digest of a request (decision 0059), 5 knows stages and clocks of approvals (decision 0068),
 * 6 knows standing grants (decision 0072). A version of Countersign that stores something which the one
 * before can't read or check raises it.
 */
export const protocol = 6

/**
 * The name of a connection in pg_stat_activity. Other processes read the protocol from it (older-processes.ts). Processes that listened on
 * a connection named "countersign-listen" do not register (listening/registration-store.ts).
 */
export const applicationName = (part?: 'listener' | 'maintenance' | 'queue'): string =>
  `countersign${part === undefined ? '' : `-${part}`}/${protocol}`
