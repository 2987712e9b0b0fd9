'use client'

import { useQuery } from '#components/api/query.ts'
import { Climbed } from '#components/ladder/climbed.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { JcsError } from '#lib/jcs.ts'
import { climb, leafOf } from '#lib/ladder.ts'
import type { AuditProof } from '#lib/schemas/audit.ts'
import type { Ladder } from '#lib/verify/ladder.ts'

/** The path from the record to the day's signed root, computed by this browser. */
export function Proof({ proof }: { proof: AuditProof }) {
  const { merkleRoot, treeSize, inclusionProof, checkpoint, date, leafIndex } = proof
  const { data: ladder } = useQuery({
    queryKey: ['ladder', proof],
    queryFn: async () => (await ladderOf(proof)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (merkleRoot === null || treeSize === null)
    return (
      <p>
        The record has its place in the log of {date}. Its path appears here once the next signed checkpoint covers it.
      </p>
    )
  if (inclusionProof === null)
    return (
      <p>
        The log of {date} lacks a record below the checkpoint, so no path can be computed. Verify the record for
        details.
      </p>
    )
  return (
    <>
      <KeyValues>
        <KeyValue name="Signed root">
          <Copyable value={merkleRoot} label="signed root" />
        </KeyValue>
        <KeyValue name="Covers">
          {treeSize.toLocaleString('en')} records of {date}; this is number {leafIndex.toLocaleString('en')}, counted
          from 0
        </KeyValue>
        <KeyValue name="Nonce">
          <Copyable value={proof.nonce} label="nonce" shorten="middle" />
        </KeyValue>
        <KeyValue name="Record digest">
          <Copyable value={proof.digest} label="record digest" />
        </KeyValue>
      </KeyValues>
      {ladder === null && (
        <p>The record can’t be hashed, so this browser can’t compute its path. Verify the record for details.</p>
      )}
      {ladder && <Climbed ladder={ladder} root={merkleRoot} from="the record shown here" of="record" />}
      {checkpoint !== null && (
        <details>
          <summary className="w-fit min-h-6 text-ink-2">Signed checkpoint (C2SP signed note)</summary>
          <pre className="wrap-anywhere mt-1 whitespace-pre-wrap border border-line bg-surface p-2 font-mono text-dense">
            {checkpoint}
          </pre>
        </details>
      )}
    </>
  )
}

async function ladderOf(proof: AuditProof): Promise<Ladder | undefined> {
  try {
    const leaf = await leafOf(proof)
    if (leaf === undefined) return undefined
    const { leafIndex: index, treeSize: size, inclusionProof: siblings } = proof
    return await climb({ index, size: size ?? 0, leaf, siblings: siblings ?? [] })
  } catch (error) {
    if (error instanceof JcsError) return undefined
    throw error
  }
}
