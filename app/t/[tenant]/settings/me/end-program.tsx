'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { OwnProgram } from '#lib/schemas/sessions.ts'
import { programName } from './own-programs.ts'

type EndProgramProps = { sessionId: string; program: OwnProgram; onClose: () => void }

/** Ends what a program may do in the person's name. */
export function EndProgram({ sessionId, program, onClose }: EndProgramProps) {
  const { client } = useApi()
  const notice = useNotice()
  const act = useAct({
    send: client.sessions.endProgram.mutate,
    touches: ['sessions'],
    onDone: () => {
      notice(t.programHasLostAccess)
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.endAccess}
      description={t.programLosesAccess({ program: programName(program), shown: shownText })}
      label={t.endAccess}
      busyLabel={t.endingAccess}
      act={act}
      onRun={() => act.run({ id: sessionId, clientId: program.clientId })}
      onClose={onClose}
    />
  )
}
