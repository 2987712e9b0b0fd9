import type { IncomingMessage, Server } from 'node:http'
import type { wireLimits } from '#server/kernel/limits.ts'

export type ArrivalLimits = Record<keyof typeof wireLimits.arrival, number>

type Arriving = { waitedMs: number; before: number; late(): void }

/**
 * Cuts requests that arrive too slowly. Headers: by Node. A body has a time that grows with what has arrived, so that a large
 * file may take long and a trickle may not; the time counts only while the server waits for more of it. Returns what to call
 * for each request: `late` is called once, if the body is too slow.
 */
export function limitArrival(http: Server, limits: ArrivalLimits): (req: IncomingMessage, late: () => void) => void {
  http.headersTimeout = limits.headersMs
  // Node's own limit for the whole request would also cut a large file on a slow line.
  http.requestTimeout = 0
  const arriving = new Map<IncomingMessage, Arriving>()
  const timer = setInterval(() => {
    for (const [req, state] of arriving) if (isLate(req, state, limits)) state.late()
  }, limits.lookMs)
  timer.unref()
  http.once('close', () => clearInterval(timer))
  return (req, late) => {
    if (req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0) return
    const forget = () => arriving.delete(req)
    arriving.set(req, {
      waitedMs: 0,
      before: req.socket.bytesRead,
      late() {
        forget()
        late()
      },
    })
    req.once('end', forget)
    req.once('close', forget)
  }
}

function isLate(req: IncomingMessage, state: Arriving, { lookMs, bodyMs, bodyBytesPerSecond }: ArrivalLimits): boolean {
  // What has arrived and was not read yet shows that the server is the slower one.
  if (req.readableLength > 0) return false
  state.waitedMs += lookMs
  const arrived = req.socket.bytesRead - state.before
  return state.waitedMs > bodyMs + (arrived / bodyBytesPerSecond) * 1000
}
