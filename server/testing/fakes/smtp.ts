import { once } from 'node:events'
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** How the server responds to a message, by the local part of its recipient. */
type Behaviour =
  | 'refuse-recipient'
  | 'defer-recipient'
  | 'refuse-message'
  | 'drop-after-dot'
  | 'drop-at-recipient'
  | 'silent-after-dot'

export type Received = { from: string; to: string; text: string }

export type TestSmtp = {
  url: string
  /** All messages that arrived completely, including refused ones. */
  received: Received[]
  /** The number of connections that have been opened. */
  connections(): number
  /** Local part → behaviour from now on; `accept` is that of all other recipients. */
  behave(recipient: string, behaviour: Behaviour | 'accept'): void
  close(): Promise<void>
}

/** Starts a real SMTP server on this machine that fails on request. */
export async function startSmtp(): Promise<TestSmtp> {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour | 'accept'>()
  const sockets = new Set<Socket>()
  let connections = 0
  const behaviourOf = (address: string) => behaviours.get(address.split('@')[0] ?? '')
  // Only the connection of this session: at the same time others bring mails to other recipients.
  const drop = ({ remotePort }: SMTPServerSession) => {
    for (const socket of sockets) if (socket.remotePort === remotePort) socket.destroy()
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, session, callback) {
      const behaviour = behaviourOf(address)
      if (behaviour === 'drop-at-recipient') return drop(session)
      if (behaviour === 'refuse-recipient')
        return callback(Object.assign(new Error('No such person'), { responseCode: 550 }))
      if (behaviour === 'defer-recipient')
        return callback(Object.assign(new Error('Come back later'), { responseCode: 451 }))
      callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo[0]?.address ?? ''
        const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
        received.push({ from, to, text: unfolded(Buffer.concat(chunks).toString('utf8')) })
        const behaviour = behaviourOf(to)
        if (behaviour === 'drop-after-dot') return drop(session)
        if (behaviour === 'silent-after-dot') return
        if (behaviour === 'refuse-message') return callback(Object.assign(new Error('Spam'), { responseCode: 554 }))
        callback()
      })
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const listening = server.listen(0, '127.0.0.1')
  if (!listening.listening) await once(listening, 'listening')
  const address = listening.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    connections: () => connections,
    behave: (recipient, behaviour) => void behaviours.set(recipient, behaviour),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Removes the soft line breaks of quoted-printable. */
const unfolded = (message: string): string => message.replaceAll('=\r\n', '')
