import { execFileSync, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'

// What the doctor says of the certificate at BASE_URL, with the real TLS of Node.

const root = join(import.meta.dirname, '../..')
const ready: RequestListener = (_req, res) => void res.end('{"status":"ready"}')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-ca-'))
  return () => rm(folder, { recursive: true })
})

/** The lines about the address. `trusted`: certificates for NODE_EXTRA_CA_CERTS, which Node reads when it starts. */
async function said(tls: ServerOptions | undefined, trusted?: string): Promise<string> {
  const server = tls === undefined ? createPlainServer(ready) : createServer(tls, ready)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const settings = {
    PATH: process.env.PATH,
    NODE_ENV: 'test' as const,
    DATA_DIR: join(folder, 'data'),
    BASE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  if (trusted !== undefined) await writeFile(join(folder, 'ca.pem'), trusted)
  const child = spawn(process.execPath, [join(root, 'cli/doctor.mjs')], {
    cwd: folder,
    env: trusted === undefined ? settings : { ...settings, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  await new Promise((resolve) => child.once('close', resolve))
  server.closeAllConnections()
  server.close()
  return text
    .split('\n')
    .filter((line) => line.includes(' Address '))
    .join('\n')
}

/** A certificate that signs itself, for `name`, which ends in `days`. */
async function certificate(name: string, days: string): Promise<{ cert: string; key: string }> {
  const run = (command: string) => execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' })
  run(
    `req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out request.pem -subj /CN=x -addext subjectAltName=${name}`,
  )
  run(`x509 -req -in request.pem -signkey key.pem -days ${days} -copy_extensions copy -out cert.pem`)
  const [cert, key] = await Promise.all(['cert.pem', 'key.pem'].map((file) => readFile(join(folder, file), 'utf8')))
  return { cert: cert ?? '', key: key ?? '' }
}

test('that it is not trusted is a failure, whose advice helps', async () => {
  const own = await certificate('IP:127.0.0.1', '2')
  expect(await said(own)).toMatch(
    /^FAILED {3}Address {3}The certificate is not trusted \(https:\/\/127\.0\.0\.1:\d+: self-signed certificate.*\)\. → Name the CA in NODE_EXTRA_CA_CERTS, /,
  )
  expect(await said(own, own.cert)).toMatch(
    /^ok {7}Address {3}https:\/\/127\.0\.0\.1:\d+ reaches a server that is ready$/m,
  )
})

test('that it is for another host name is a failure of its own', async () => {
  const other = await certificate('DNS:other.example', '2')
  expect(await said(other, other.cert)).toMatch(
    /^FAILED {3}Address {3}The certificate is for another host name .* → Get one/,
  )
})

test('that it has expired is a failure of its own', async () => {
  const old = await certificate('IP:127.0.0.1', '-1')
  expect(await said(old, old.cert)).toMatch(/^FAILED {3}Address {3}The certificate has expired .* → Renew it\.$/)
})

test('a server without TLS is named in words, without text of OpenSSL', async () => {
  expect(await said(undefined)).toMatch(
    /^warning {2}Address {3}https:\/\/127\.0\.0\.1:\d+ does not answer \(it does not speak TLS\)\. → /,
  )
})
