import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type ClientDocuments = {
  /** The origin, with the name localhost. */
  url: string
  /** The certificate, for NODE_EXTRA_CA_CERTS of the server under test. */
  certificate: string
  /** What is served, by path: a document, or an answer of another kind. */
  documents: Map<string, object | ((res: ServerResponse) => void)>
  /** The paths that were requested. */
  asked: string[]
  close(): Promise<void>
}

/** A vendor's web server on a free loopback port, over https, with the metadata documents of clients. */
export async function startClientDocuments(): Promise<ClientDocuments> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-documents-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost'
  execFileSync('openssl', [...request.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const documents: ClientDocuments['documents'] = new Map()
  const asked: string[] = []
  const server = createServer({ key: await readFile(key), cert: await readFile(certificate) }, (req, res) => {
    const path = req.url ?? ''
    asked.push(path)
    const found = documents.get(path)
    if (found === undefined) return res.writeHead(404).end()
    if (typeof found === 'function') return found(res)
    return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    certificate,
    documents,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
