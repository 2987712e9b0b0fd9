import pg from 'pg'
import type { Log } from '#server/kernel/log.ts'

/** A server that never responds, such as one whose machine is frozen, loses the connection after this time. Its statements take milliseconds. */
const answersWithinMs = 10_000
/** The end of this process does not wait longer for it. */
const goodbyeMs = 1000

/**
 * One connection that listens on `channels` and is reopened when it is lost. `onListening` is called after each
 * connect: notifications may have been missed before, so the tables have to be read. The returned function stops it.
 */
export function keepListening(
  url: string,
  channels: readonly string[],
  log: Log,
  {
    name,
    onNotification,
    onListening,
    beforeListening,
    beforeClosing,
  }: {
    /** Of the connection. */
    name: string
    onNotification(message: pg.Notification): void
    /** `signal` aborts when this connection is lost or closed. */
    onListening(client: pg.Client, signal: AbortSignal): void
    beforeListening?(client: pg.Client): Promise<void>
    beforeClosing?(client: pg.Client): Promise<void>
  },
): () => Promise<void> {
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const connect = async () => {
    // A process may close it while it asks who else listens: without a pipeline, the driver warns when a statement has to wait.
    // With one, a statement that times out also closes the connection, so that it is reopened.
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: name,
      pipeline: true,
      connectionTimeoutMillis: 5000,
      query_timeout: answersWithinMs,
    })
    next.on('notification', onNotification)
    next.on('error', (error) => log.warn({ err: error }, 'the notification connection was lost'))
    // A client that failed to connect also emits 'end': its promise reports the failure, and it is retried only once.
    const connected = new AbortController()
    next.on('end', () => {
      connected.abort()
      if (client !== next) return
      client = undefined
      again(250)
    })
    await next.connect()
    try {
      await beforeListening?.(next)
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await next.end()
      throw error
    }
    if (closed) {
      await end(next)
      return
    }
    client = next
    onListening(next, connected.signal)
  }
  const end = async (last: pg.Client) => {
    const silent = setTimeout(() => cut(last), goodbyeMs)
    // It fails on a lost connection. What it would remove is then left to the other processes.
    await beforeClosing?.(last).catch((error: unknown) =>
      log.debug({ err: error }, 'a listening connection closed without its last statement'),
    )
    await last.end()
    clearTimeout(silent)
  }
  const reconnect = () => {
    connect().catch((error: unknown) => {
      log.warn({ err: error }, 'the notification connection could not be opened')
      again(1000)
    })
  }
  const again = (delayMs: number) => {
    if (!closed) retry = setTimeout(reconnect, delayMs)
  }
  reconnect()

  return async () => {
    closed = true
    clearTimeout(retry)
    const last = client
    if (last === undefined) return
    await end(last)
  }
}

/** Closes a connection without waiting for the server. */
function cut(client: pg.Client): void {
  if ('connection' in client && client.connection instanceof pg.Connection) client.connection.stream.destroy()
}
