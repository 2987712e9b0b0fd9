'use client'

import { useQuery } from '#components/api/query.ts'
import { Climbed } from '#components/ladder/climbed.tsx'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/audit/en.ts'
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
  if (merkleRoot === null || treeSize === null) return <p>{t.recordHasItsPlace({ date })}</p>
  if (inclusionProof === null) return <p>{t.logOfLacksRecord({ date })}</p>
  return (
    <>
      <KeyValues>
        <KeyValue name={t.signedRoot}>
          <Copyable value={merkleRoot} label={t.signedRootInSentence} />
        </KeyValue>
        <KeyValue name={t.covers}>
          {t.recordsOfThisIs({ size: formatNumber(treeSize), date, index: formatNumber(leafIndex) })}
        </KeyValue>
        <KeyValue name={t.nonce}>
          <Copyable value={proof.nonce} label={t.nonceLabel} shorten="middle" />
        </KeyValue>
        <KeyValue name={t.recordDigest}>
          <Copyable value={proof.digest} label={t.recordDigestInSentence} />
        </KeyValue>
      </KeyValues>
      {ladder === null && <p>{t.recordCantBeHashed}</p>}
      {ladder && <Climbed ladder={ladder} root={merkleRoot} from={t.recordShownHere} of="record" />}
      {checkpoint !== null && (
        <details>
          <summary className="w-fit min-h-6 text-ink-2">{t.signedCheckpointC2spSigned}</summary>
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
