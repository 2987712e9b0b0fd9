import * as t from '#components/texts/access-keys/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'

/** Opens the dialog with the actions for a row. */
export function ManageButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button onClick={onClick} aria-haspopup="dialog">
      {t.manage({ name, hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}
    </Button>
  )
}
