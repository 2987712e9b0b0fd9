import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Answers of a server that accepts everything. */
const answers: Readonly<Record<string, string>> = {
  EHLO: '250 drip.example',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go ahead',
}

/** Starts an SMTP server whose answer to `command` (`.`: the end of a message) comes byte by byte and never ends. */
export async function drippingSmtp(command: 'EHLO' | '.') {
  const dripping = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 drip.example\r\n')
    createInterface({ input: socket }).on('line', (line) => {
      const [word = ''] = line.split(' ', 1)
      if (word === command) return drip(socket)
      const answer = answers[word]
      if (answer !== undefined) socket.write(`${answer}\r\n`)
    })
    socket.on('close', () => left.resolve())
  })
  const drip = (socket: Socket) => {
    const timer = setInterval(() => socket.write('2'), 5)
    socket.on('close', () => clearInterval(timer))
    dripping.resolve()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    /** Resolves when the answer has begun. */
    dripping: dripping.promise,
    /** Resolves when the client has closed its connection. */
    left: left.promise,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
