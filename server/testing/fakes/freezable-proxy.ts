import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type FreezableProxy = {
  /** The same address, through the proxy. */
  url: string
  /** Stops passing data without closing connections, as when the machine behind it has stopped. */
  freeze(): void
  thaw(): void
  /** The number of connections that have been opened through it so far, including failed ones. */
  opened(): number
  close(): Promise<void>
}

/** Starts a proxy between a process and its database, on a free loopback port. */
export async function freezableProxy(url: string): Promise<FreezableProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let frozen = false
  let opened = 0
  const join = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => to.write(chunk))
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (frozen) from.pause()
  }
  const server = createServer((near) => {
    opened += 1
    const far = connect(Number(target.port || 5432), target.hostname)
    join(near, far)
    join(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: proxied.href,
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    opened: () => opened,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
