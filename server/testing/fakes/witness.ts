import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { cosignedMessage, cosignerKeyId, parseCosignerKey } from '#server/audit/notes/cosignature.ts'
import { parseCheckpoint, parseNote, verifyNote } from '#server/audit/notes/signed-note.ts'
import { verifyConsistency } from '#server/audit/tree/merkle.ts'
import type { Witness } from '#server/audit/witnesses/ask-witness.ts'

/** A witness as c2sp.org/tlog-witness describes it, which remembers one size and root for each origin. */
export class TestWitness {
  readonly seen = new Map<string, { size: number; root: Uint8Array }>()
  readonly asked: number[] = []
  readonly keys = new Map<string, string>()
  readonly server: Server
  readonly #pair = generateKeyPairSync('ed25519')
  readonly name = 'witness.example/w1'
  /** Signs with another key than the one it publishes. */
  forge = false

  constructor() {
    this.server = createServer(async (request, response) => {
      const { status, body, type } = this.#answer(await readText(request), request.url)
      response.writeHead(status, { 'content-type': type ?? 'text/plain' }).end(body)
    })
  }
  #raw(): Buffer {
    return Buffer.from(createPublicKey(this.#pair.privateKey).export({ format: 'jwk' }).x ?? '', 'base64url')
  }
  vkey(): string {
    return `${this.name}+${cosignerKeyId(this.name, this.#raw())}+${Buffer.concat([Buffer.of(4), this.#raw()]).toString('base64')}`
  }
  async listen(): Promise<Witness> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    const { port } = this.server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, key: parseCosignerKey(this.vkey()) }
  }
  #answer(request: string, url: string | undefined): { status: number; body: string; type?: string } {
    if (url !== '/add-checkpoint') return { status: 404, body: '' }
    const split = request.indexOf('\n\n')
    const [first = '', ...lines] = request.slice(0, split).split('\n')
    const note = request.slice(split + 2)
    const old = Number(first.replace('old ', ''))
    this.asked.push(old)
    const text = parseNote(note).text
    const { origin, size, root } = parseCheckpoint(text)
    const key = this.keys.get(origin)
    if (key === undefined) return { status: 404, body: 'unknown origin' }
    if (!verifyNote(note, [key]).ok) return { status: 403, body: 'not signed' }
    const before = this.seen.get(origin)
    if ((before?.size ?? 0) !== old) return { status: 409, body: `${before?.size ?? 0}\n`, type: 'text/x.tlog.size' }
    const proof = lines.map((line) => Buffer.from(line, 'base64'))
    if (before !== undefined && !verifyConsistency({ size1: old, root1: before.root, size2: size, root2: root, proof }))
      return { status: 422, body: 'not consistent' }
    this.seen.set(origin, { size, root })
    return { status: 200, body: this.line(text) }
  }
  /** The line of its cosignature of a checkpoint. */
  line(text: string): string {
    const time = 1_800_000_000
    const stamp = Buffer.alloc(8)
    stamp.writeBigUInt64BE(BigInt(time))
    const by = this.forge ? generateKeyPairSync('ed25519').privateKey : this.#pair.privateKey
    const signature = sign(null, cosignedMessage(text, time), by)
    const id = Buffer.from(cosignerKeyId(this.name, this.#raw()), 'hex')
    return `— ${this.name} ${Buffer.concat([id, stamp, signature]).toString('base64')}\n`
  }
  async close() {
    this.server.close()
    await once(this.server, 'close')
  }
}
