'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import type { Answers } from '#lib/trpc.ts'
import { NewSecret } from './new-secret.tsx'

const HOUR_MS = 3_600_000

const OVERLAPS = [
  { value: '0', label: 'Now' },
  { value: '1', label: 'In 1 hour' },
  { value: '24', label: 'In 24 hours' },
  { value: '168', label: 'In 7 days' },
  // One hour less than the 30 days that the server allows, because clocks differ.
  { value: '719', label: 'In 30 days' },
]

/** `at` is fixed when it is chosen, so that sending the same form again is the same request. */
const overlapOf = (hours: string) => ({ hours, at: new Date(Date.now() + Number(hours) * HOUR_MS).toISOString() })

/** Creates a second secret, and sets when the current secrets expire. */
export function RotateSecret({ account, onClose }: { account: ServiceAccount; onClose: () => void }) {
  const { client } = useApi()
  const [rotated, setRotated] = useState<Answers['serviceAccounts']['rotateSecret']>()
  const [overlap, setOverlap] = useState(() => overlapOf('24'))
  const act = useAct({
    send: client.serviceAccounts.rotateSecret.mutate,
    touches: ['serviceAccounts'],
    onDone: setRotated,
  })
  if (rotated !== undefined)
    return (
      <NewSecret
        title={`A new secret for ${account.name}`}
        clientId={rotated.clientId}
        secret={rotated.clientSecret}
        notAfter={rotated.notAfter}
        onClose={onClose}
      />
    )
  return (
    <ActDialog
      title={`Rotate the secret of ${account.name}`}
      description="The account gets a new secret, which is shown once. The current secrets keep working until they expire. You can’t approve requests of an account whose secret you rotated."
      label="Rotate the secret"
      busyLabel="Rotating the secret…"
      act={act}
      onRun={() => act.run({ clientId: account.clientId, notAfter: overlap.at })}
      onClose={onClose}
    >
      <SelectField
        label="Current secrets expire"
        value={overlap.hours}
        onChange={(hours) => setOverlap(overlapOf(hours))}
        options={OVERLAPS}
        placeholder="Choose when they expire"
        hint={
          overlap.hours === '0' ? (
            'Programs that still use them can no longer sign in.'
          ) : (
            <>
              Old and new secrets work until <Time at={overlap.at} show="absolute" />.
            </>
          )
        }
      />
    </ActDialog>
  )
}
