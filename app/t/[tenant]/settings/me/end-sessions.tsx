'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { OwnSession } from '#lib/schemas/sessions.ts'

/** Signs the person out in one other session, or in all others. */
export function EndSessions({ session, onClose }: { session: OwnSession | 'others'; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const all = session === 'others'
  const where = all ? 'everywhere else' : `on ${session.device ?? 'the unknown device'}`
  const act = useAct({
    send: (wanted: OwnSession | 'others', run) =>
      wanted === 'others'
        ? client.sessions.endOthers.mutate(undefined, run)
        : client.sessions.end.mutate({ id: wanted.id }, run),
    touches: ['sessions'],
    onDone: () => {
      notice(`You are signed out ${where}.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={all ? 'Sign out everywhere else' : 'Sign out there'}
      description={`You will be signed out ${where}, immediately. What was typed there and not sent is lost. If you did not sign in there, change your password, too.`}
      label={all ? 'Sign out everywhere else' : 'Sign out there'}
      busyLabel="Signing out…"
      act={act}
      onRun={() => act.run(session)}
      onClose={onClose}
    />
  )
}
