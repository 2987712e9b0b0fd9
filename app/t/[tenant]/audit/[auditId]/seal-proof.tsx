'use client'

import { useQuery } from '#components/api/query.ts'
import { Climbed } from '#components/ladder/climbed.tsx'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/audit/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { climb, leafOfText } from '#lib/ladder.ts'
import type { AuditProof } from '#lib/schemas/audit.ts'

/** The path from the day's last checkpoint to the signed root of all closed days, computed by this browser. */
export function SealProof({ proof }: { proof: AuditProof }) {
  const { sealLog, checkpoint, date } = proof
  const { data: ladder } = useQuery({
    queryKey: ['seal-ladder', sealLog, checkpoint],
    queryFn: async () => {
      if (sealLog === null || checkpoint === null) return null
      const { index, treeSize: size, inclusionProof: siblings } = sealLog
      const leaf = await leafOfText(checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1))
      return (await climb({ index, size, leaf, siblings })) ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (sealLog === null) return <p>{t.hasNotEndedIn({ date })}</p>
  return (
    <>
      <KeyValues>
        <KeyValue name={t.signedRoot}>
          <Copyable value={sealLog.merkleRoot} label={t.signedRootOfClosed} />
        </KeyValue>
        <KeyValue name={t.covers}>
          {t.closedDaysIsEntry({ size: formatNumber(sealLog.treeSize), date, index: formatNumber(sealLog.index) })}
        </KeyValue>
      </KeyValues>
      {ladder === null && <p>{t.pathHasWrongLength}</p>}
      {ladder && <Climbed ladder={ladder} root={sealLog.merkleRoot} from={t.daysLastCheckpoint} of="day" />}
      <details>
        <summary className="w-fit min-h-6 text-ink-2">{t.signedCheckpointOfClosed}</summary>
        <pre className="wrap-anywhere mt-1 whitespace-pre-wrap border border-line bg-surface p-2 font-mono text-dense">
          {sealLog.checkpoint}
        </pre>
      </details>
    </>
  )
}
