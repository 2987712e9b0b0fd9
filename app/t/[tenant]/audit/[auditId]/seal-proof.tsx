'use client'

import { useQuery } from '#components/api/query.ts'
import { Climbed } from '#components/ladder/climbed.tsx'
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
  if (sealLog === null)
    return (
      <p>
        {date} has not ended in UTC. After midnight, its last checkpoint becomes an entry in the log of closed days.
      </p>
    )
  return (
    <>
      <KeyValues>
        <KeyValue name="Signed root">
          <Copyable value={sealLog.merkleRoot} label="signed root of closed days" />
        </KeyValue>
        <KeyValue name="Covers">
          {sealLog.treeSize.toLocaleString('en')} closed days; {date} is entry {sealLog.index.toLocaleString('en')},
          counted from 0
        </KeyValue>
      </KeyValues>
      {ladder === null && <p>The path has the wrong length. Verify the record for details.</p>}
      {ladder && <Climbed ladder={ladder} root={sealLog.merkleRoot} from="the day’s last checkpoint" of="day" />}
      <details>
        <summary className="w-fit min-h-6 text-ink-2">Signed checkpoint of closed days (C2SP signed note)</summary>
        <pre className="wrap-anywhere mt-1 whitespace-pre-wrap border border-line bg-surface p-2 font-mono text-dense">
          {sealLog.checkpoint}
        </pre>
      </details>
    </>
  )
}
