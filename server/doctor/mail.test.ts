import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { checkMail } from './mail.ts'

test('a mail server that greets line by line, without an end, is left after the time for the check', async () => {
  const server = createServer((socket) => {
    const more = setInterval(() => socket.write('220-welcome\r\n'), 20)
    socket.on('error', () => undefined)
    socket.on('close', () => clearInterval(more))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const found = await checkMail({ smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: 'a@b.example' }, 300)
    expect(found).toMatchObject([{ level: 'failed', text: `127.0.0.1:${port}: not ready within 0.3 seconds` }])
  } finally {
    server.close()
    await once(server, 'close')
  }
})
