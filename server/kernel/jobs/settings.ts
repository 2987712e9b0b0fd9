/** How the library treats the jobs of each queue. Times in seconds. */
export const queueSettings = {
  // A transaction that enqueues notifies as any other (db/notify.ts): the library would notify always.
  notify: false,
  heartbeatSeconds: 10,
  expireInSeconds: 6 * 3600,
  retryLimit: 1000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  deleteAfterSeconds: 3600,
  // A job waits for as long as the product is turned off; by default the library would drop it after 14 days.
  retentionSeconds: 10 * 365 * 86_400,
}
