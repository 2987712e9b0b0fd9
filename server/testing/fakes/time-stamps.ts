import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

/** How the authority answers: truly, with an error, with its first or its last answer, or with a refusal. */
export type Behaviour = 'true' | 'error' | 'text' | 'replayed' | 'last' | 'refused'

const settings = `[tsa]
default_tsa = own
[own]
serial = ./serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`

/** A time-stamping authority (RFC 3161) that answers by openssl, with a certificate of its own. */
export async function startTimeStamps() {
  const folder = await mkdtemp(join(tmpdir(), 'tsa-'))
  const openssl = (args: string) => execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' })
  await writeFile(join(folder, 'tsa.cnf'), settings)
  await writeFile(join(folder, 'serial'), '01\n')
  openssl(
    'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=tsa -addext extendedKeyUsage=critical,timeStamping',
  )
  let behaviour: Behaviour = 'true'
  let replies = 0
  const server = createServer(async (request, response) => {
    const query = await buffer(request)
    if (behaviour === 'error') return response.writeHead(503).end()
    if (behaviour === 'text') return response.end('no')
    // PKIStatusInfo with status 2 (rejection), and no token.
    if (behaviour === 'refused') return response.end(Buffer.from('30053003020102', 'hex'))
    if (behaviour === 'replayed') return response.end(await readFile(join(folder, 'reply-1')))
    if (behaviour === 'last') return response.end(await readFile(join(folder, `reply-${replies}`)))
    replies += 1
    const [asked, answer] = [join(folder, `query-${replies}`), join(folder, `reply-${replies}`)]
    await writeFile(asked, query)
    const args = `ts -reply -queryfile ${asked} -out ${answer} -config tsa.cnf -inkey key.pem -signer cert.pem`
    await promisify(execFile)('openssl', args.split(' '), { cwd: folder })
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(await readFile(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** For openssl ts -verify. */
    certificate: join(folder, 'cert.pem'),
    answer: (next: Behaviour) => {
      behaviour = next
    },
    async close() {
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true })
    },
  }
}
