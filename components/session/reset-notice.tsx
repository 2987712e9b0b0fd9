'use client'

import { useApi } from '#components/api/api.tsx'
import { useQueryClient } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Session as Me } from '#lib/schemas/tenants.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Shown at sign-in before anything else: someone else reset this account. The page opens after the holder acknowledges it. */
export function ResetNotice({ reset }: { reset: Me['resets'][number] }) {
  const { client } = useApi()
  const trpc = useTRPC()
  const cache = useQueryClient()
  const act = useAct({
    send: client.session.acknowledgeReset.mutate,
    touches: [],
    onDone: () => cache.invalidateQueries({ queryKey: trpc.session.me.queryKey() }),
  })
  const { id, at, by, passkeysRemoved } = reset
  return (
    <Page>
      <PageHeader
        title="Your password was reset"
        facts={
          <p className="max-w-[75ch]">
            Someone else reset the password of this account. You were signed out everywhere, and the old password
            stopped working.
          </p>
        }
      />
      <KeyValues>
        <KeyValue name="When">
          <Time at={at} />
        </KeyValue>
        <KeyValue name="By">{by === null ? 'The operator of this installation' : <ShownText>{by}</ShownText>}</KeyValue>
        <KeyValue name="Passkeys removed">
          {passkeysRemoved.length === 0 ? 'None' : <ShownText>{passkeysRemoved.join(', ')}</ShownText>}
        </KeyValue>
      </KeyValues>
      <p className="max-w-[75ch]">
        If you did not ask for this, tell another administrator: anyone who had the link could act as you until you set
        your password. The audit log lists everything that was done with this account.
      </p>
      <div>
        <Button
          variant="primary"
          onClick={() => act.run({ id })}
          busyLabel={act.pending ? 'Acknowledging the reset…' : undefined}
        >
          Acknowledge the reset
        </Button>
      </div>
      {act.failure !== undefined && <ActFailed failure={act.failure} done="acknowledged" />}
    </Page>
  )
}
