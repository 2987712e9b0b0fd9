import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject } from '#lib/json.ts'
import type { AuditProof } from '#lib/schemas/audit.ts'
import type { Ladder, Rung } from '#lib/verify/ladder.ts'

type Path = { index: number; size: number; leaf: string; siblings: readonly string[] }

/** The leaf hash of a record, computed from its content: SHA-256(0x00 ‖ JCS(leaf)). Undefined for a record without an action. */
export async function leafOf({
  record,
  nonce,
  auditId,
  date,
  leafIndex,
  tenant,
}: AuditProof): Promise<string | undefined> {
  if (!isJsonObject(record) || typeof record.action !== 'string') return undefined
  const digest = await sha256(utf8('agcp.audit.record.v1\n'), bytesOf(nonce), utf8(canonicalJson(record)))
  const leaf = { auditId, date, digest: `sha256:${digest}`, seq: leafIndex, tenant, type: record.action, v: 1 }
  return await sha256(Uint8Array.of(0), utf8(canonicalJson(leaf)))
}

/** The leaf hash of a text entry: SHA-256(0x00 ‖ UTF-8). */
export const leafOfText = (text: string): Promise<string> => sha256(Uint8Array.of(0), utf8(text))

/** Follows the inclusion proof up to the root (RFC 9162, 2.1.3.2). Undefined unless the path has the length that index and size require. */
export async function climb({ index, size, leaf, siblings }: Path): Promise<Ladder | undefined> {
  if (index < 0 || index >= size) return undefined
  const rungs: Rung[] = []
  let own = leaf
  let node = index
  let last = size - 1
  for (const sibling of siblings) {
    if (last === 0) return undefined
    const isRight = node % 2 === 1 || node === last
    // A subtree without a right sibling moves up unchanged until it has a left one.
    if (isRight) while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    const [left, right] = isRight ? [sibling, own] : [own, sibling]
    const parent = await sha256(Uint8Array.of(1), bytesOf(left), bytesOf(right))
    rungs.push({ left, right, parent, own: isRight ? 'right' : 'left' })
    own = parent
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? { leaf, rungs, root: own } : undefined
}

const half = (value: number): number => Math.floor(value / 2)
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

async function sha256(...parts: Uint8Array<ArrayBuffer>[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
