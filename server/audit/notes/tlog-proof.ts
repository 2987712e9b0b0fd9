export type TlogProof = { index: number; proof: readonly Uint8Array[] /** A signed note. */; checkpoint: string }

const header = 'c2sp.org/tlog-proof@v1'

/** The proof of one leaf as a file that other tools can read (https://c2sp.org/tlog-proof). */
export const formatTlogProof = ({ index, proof, checkpoint }: TlogProof): string =>
  [header, `index ${index}`, ...proof.map((hash) => Buffer.from(hash).toString('base64')), '', checkpoint].join('\n')

/** Takes such a file apart; undefined when it is malformed. Extra data is passed over: nothing vouches for it. */
export function parseTlogProof(text: string): TlogProof | undefined {
  const split = text.indexOf('\n\n')
  const [first, ...lines] = text.slice(0, Math.max(0, split)).split('\n')
  if (first !== header) return undefined
  if (lines[0]?.startsWith('extra ')) lines.shift()
  const index = /^index (0|[1-9]\d*)$/.exec(lines.shift() ?? '')?.[1]
  const proof = lines.map((line) => Buffer.from(line, 'base64'))
  const exact = proof.every((hash, at) => hash.length === 32 && hash.toString('base64') === lines[at])
  if (index === undefined || !exact || !Number.isSafeInteger(Number(index))) return undefined
  return { index: Number(index), proof, checkpoint: text.slice(split + 2) }
}
