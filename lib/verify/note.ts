import { sha256Now } from '../sha256.ts'
import { Broken, type Bytes, concat, encode, fromBase64, hex, lines, sameBytes, sha256OfText } from './bytes.ts'
import { most } from './limits.ts'

/** A checkpoint (c2sp.org/tlog-checkpoint): a signed note (c2sp.org/signed-note) about a log of `size` leaves. */
export type Note = {
  /** The name of the log: `<host>/t/<external id>/audit/<date>` or `<host>/t/<external id>/seals`. */
  origin: string
  size: number
  root: Bytes
  /** What the signatures are over, with its last newline. */
  text: string
  signatures: { name: string; bytes: Bytes }[]
}

export function parseNote(note: string): Note {
  const split = note.lastIndexOf('\n\n')
  const text = note.slice(0, split + 1)
  const [origin = '', size = '', root = ''] = text.split('\n')
  if (split < 0 || !/^(0|[1-9]\d{0,14})$/.test(size)) throw new Broken('A checkpoint is malformed.')
  const signed = lines(note.slice(split + 2))
  if (signed.length > most.signatures) throw new Broken(`A checkpoint has more than ${most.signatures} signatures.`)
  const signatures = signed.map((line) => {
    const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
    if (name === '') throw new Broken('A signature of a checkpoint is malformed.')
    return { name, bytes: fromBase64(encoded) }
  })
  const rootBytes = fromBase64(root)
  if (rootBytes.length !== 32) throw new Broken('The root in a checkpoint is malformed.')
  return { origin, size: Number(size), root: rootBytes, text, signatures }
}

/** A verifier key of a log: `<name>+<id>+<key>` (c2sp.org/signed-note). */
export type LogKey = { name: string; id: string; key: Bytes }

export function parseLogKey(vkey: string): LogKey {
  const [name = '', id = '', ...encoded] = vkey.split('+')
  const key = fromBase64(encoded.join('+'))
  if (key.length !== 33 || key[0] !== 1 || keyIdOf(name, key) !== id)
    throw new Broken(`The verifier key of ${name} is malformed.`)
  return { name, id, key: key.slice(1) }
}

/** A key's verifier key for the log of this name; `key` are the 32 bytes of Ed25519. */
export const logKeyNamed = (name: string, key: Bytes): LogKey => ({
  name,
  id: keyIdOf(name, concat(Uint8Array.of(1), key)),
  key,
})

/** The id of a key under a name; `key` begins with the byte of its type. */
export const keyIdOf = (name: string, key: Bytes): string =>
  hex(sha256Now(concat(encode(`${name}\n`), key)).slice(0, 4))

/** The one of `keys` that signed the note. Broken when none did. */
export async function signerOf(note: Note, keys: readonly LogKey[]): Promise<LogKey> {
  for (const own of keys) {
    if (own.name !== note.origin) continue
    const publicKey = await crypto.subtle.importKey('raw', own.key, 'Ed25519', false, ['verify'])
    for (const { name, bytes } of note.signatures)
      if (name === own.name && hex(bytes.slice(0, 4)) === own.id)
        if (await crypto.subtle.verify('Ed25519', publicKey, bytes.slice(4), encode(note.text))) return own
  }
  throw new Broken(`No key in data/keys/vkeys.txt signed the checkpoint of ${note.origin}.`)
}

const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)
/** RFC 6962, 2.1. */
export const leafHash = (leaf: string): Bytes => sha256OfText(leaf, leafPrefix)
export function nodeHash(left: Bytes, right: Bytes): Bytes {
  if (left.length !== 32 || right.length !== 32) return sha256Now(concat(nodePrefix, left, right))
  nodeInput.set(left, 1)
  nodeInput.set(right, 33)
  return sha256Now(nodeInput)
}
/** Shared by all nodes, because nothing awaits between writing and hashing. */
const nodeInput = concat(nodePrefix, new Uint8Array(64))

/** The root of a tree (RFC 6962) whose leaf hashes come one after the other: perfect subtrees are folded on the way. */
export function growingTree() {
  const stack: Bytes[] = []
  let size = 0
  return {
    add(leaf: Bytes) {
      let node = leaf
      for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) node = nodeHash(stack.pop() ?? node, node)
      stack.push(node)
      size += 1
    },
    size: () => size,
    root(): Bytes {
      let root: Bytes | undefined
      for (const node of stack.toReversed()) root = root === undefined ? node : nodeHash(node, root)
      return root ?? sha256Now(new Uint8Array())
    },
  }
}

/** The root to which an inclusion path leads (RFC 9162, 2.1.3.2); undefined for a path of the wrong length. */
export function climbTo(index: number, size: number, leaf: Bytes, path: readonly Bytes[]): Bytes | undefined {
  if (!(index >= 0 && index < size)) return undefined
  let [node, last] = [index, size - 1]
  let own = leaf
  for (const sibling of path) {
    if (last === 0) return undefined
    const right = node % 2 === 1 || node === last
    own = right ? nodeHash(sibling, own) : nodeHash(own, sibling)
    if (right) while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? own : undefined
}

/** Whether the tree of `size` leaves is the beginning of the later one (RFC 9162, 2.1.4.2). */
export function continues(
  earlier: { size: number; root: Bytes },
  later: { size: number; root: Bytes },
  proof: readonly Bytes[],
): boolean {
  if (earlier.size > later.size) return false
  if (earlier.size === later.size) return proof.length === 0 && sameBytes(earlier.root, later.root)
  if (earlier.size === 0) return proof.length === 0
  let [node, last] = [earlier.size - 1, later.size - 1]
  while (node % 2 === 1) [node, last] = [half(node), half(last)]
  // The path of a perfect tree leaves out its own root.
  const path = node === 0 ? [earlier.root, ...proof] : [...proof]
  const first = path.shift()
  if (first === undefined) return false
  let [old, all] = [first, first]
  for (const sibling of path) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      old = nodeHash(sibling, old)
      all = nodeHash(sibling, all)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else all = nodeHash(all, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && sameBytes(old, earlier.root) && sameBytes(all, later.root)
}

const half = (value: number): number => Math.floor(value / 2)

/**
 * The part of a log's name that a restore from a backup has added (`<host>/restored-<12 hex digits>/t/…`); undefined if the log was
 * never restored.
 */
export const restoredName = ({ origin }: Pick<Note, 'origin'>): string | undefined =>
  /^[^/]+\/(restored-[0-9a-f]{12})\//.exec(origin)?.[1]
