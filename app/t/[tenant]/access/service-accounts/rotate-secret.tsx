'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/access-machines/en.ts'
import { Time } from '#components/ui/text/time.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import type { Answers } from '#lib/trpc.ts'
import { NewSecret } from './new-secret.tsx'

const HOUR_MS = 3_600_000

const OVERLAPS = [
  { value: '0', label: t.now },
  { value: '1', label: t.in1Hour },
  { value: '24', label: t.in24Hours },
  { value: '168', label: t.in7Days },
  // One hour less than the 30 days that the server allows, because clocks differ.
  { value: '719', label: t.in30Days },
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
        title={t.newSecretFor({ account: account.name })}
        clientId={rotated.clientId}
        secret={rotated.clientSecret}
        notAfter={rotated.notAfter}
        onClose={onClose}
      />
    )
  return (
    <ActDialog
      title={t.rotateSecretOf({ account: account.name })}
      description={t.accountGetsNewSecret}
      label={t.rotateSecret}
      busyLabel={t.rotatingSecret}
      act={act}
      onRun={() => act.run({ clientId: account.clientId, notAfter: overlap.at })}
      onClose={onClose}
    >
      <SelectField
        label={t.currentSecretsExpire}
        value={overlap.hours}
        onChange={(hours) => setOverlap(overlapOf(hours))}
        options={OVERLAPS}
        placeholder={t.chooseWhenTheyExpire}
        hint={
          overlap.hours === '0'
            ? t.programsThatStillUse
            : t.oldAndNewSecrets({ at: () => <Time at={overlap.at} show="absolute" /> })
        }
      />
    </ActDialog>
  )
}
