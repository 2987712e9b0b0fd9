'use client'

import { useApi } from '#components/api/api.tsx'
import { useQueryClient } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import * as t from '#components/texts/reset/en.ts'
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
      <PageHeader title={t.resetTitle} facts={<p className="max-w-[75ch]">{t.resetAbout}</p>} />
      <KeyValues>
        <KeyValue name={t.resetWhen}>
          <Time at={at} />
        </KeyValue>
        <KeyValue name={t.resetBy}>{by === null ? t.resetByOperator : <ShownText>{by}</ShownText>}</KeyValue>
        <KeyValue name={t.resetPasskeys}>
          {passkeysRemoved.length === 0 ? t.none : <ShownText>{passkeysRemoved.join(', ')}</ShownText>}
        </KeyValue>
      </KeyValues>
      <p className="max-w-[75ch]">{t.resetAdvice}</p>
      <div>
        <Button variant="primary" onClick={() => act.run({ id })} busyLabel={act.pending ? t.acknowledging : undefined}>
          {t.acknowledge}
        </Button>
      </div>
      {act.failure !== undefined && <ActFailed failure={act.failure} />}
    </Page>
  )
}
