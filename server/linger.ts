import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How long a sender may take to notice that the connection is closed. */
const lingerMs = 2000

/**
 * Makes a server close its connections as RFC 9112 (9.6) asks: it ends its own side and reads on until the sender ends the
 * other, for at most two seconds. Node closes both sides with the answer. A sender whose body is still under way then gets a
 * reset, which discards the answer that it has not read yet.
 */
export function closeGently(http: Server): void {
  http.on('connection', (socket: Socket) => {
    // Called by Node after the last response on a connection.
    socket.destroySoon = () => linger(socket)
  })
  http.on('request', (req, res) => {
    // What is left of a body that the response did not need.
    res.once('finish', () => {
      if (!req.complete && res.shouldKeepAlive === false) req.resume()
    })
  })
}

const lingering = new WeakSet<Duplex>()

/** Ends the socket after what was written, and destroys it when the other side has ended it too, or after two seconds. */
export function linger(socket: Duplex): void {
  if (socket.destroyed || lingering.has(socket)) return
  lingering.add(socket)
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
  socket.resume().end()
}
