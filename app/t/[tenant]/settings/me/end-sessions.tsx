'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { OwnSession } from '#lib/schemas/sessions.ts'
import { programsIn } from './own-programs.ts'

const hasPrograms = (session: OwnSession): boolean => programsIn(session).length > 0

type EndSessionsProps = {
  /** One of the sessions, or all of them but this. */
  session: OwnSession | 'others'
  others: readonly OwnSession[]
  onClose: () => void
}

/** Signs the person out in one other session, or in all others. */
export function EndSessions({ session, others, onClose }: EndSessionsProps) {
  const { client } = useApi()
  const notice = useNotice()
  const all = session === 'others'
  const where = { all: String(all), device: all ? '' : (session.device ?? t.unknownDeviceInSentence) }
  const act = useAct({
    send: (wanted: OwnSession | 'others', run) =>
      wanted === 'others'
        ? client.sessions.endOthers.mutate(undefined, run)
        : client.sessions.end.mutate({ id: wanted.id }, run),
    touches: ['sessions'],
    onDone: () => {
      notice(t.signedOut(where))
      onClose()
    },
  })
  return (
    <ActDialog
      title={all ? t.signOutEverywhereElse : t.signOutThere}
      description={t.willBeSignedOut({
        ...where,
        programs: String(all ? others.some(hasPrograms) : hasPrograms(session)),
      })}
      label={all ? t.signOutEverywhereElse : t.signOutThere}
      busyLabel={t.signingOut}
      act={act}
      onRun={() => act.run(session)}
      onClose={onClose}
    />
  )
}
