import { Button } from '#components/ui/button.tsx'
import { VisuallyHidden } from '#components/ui/visually-hidden.tsx'

/** Opens what can be done with a row. */
export function ManageButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button onClick={onClick} aria-haspopup="dialog" className="min-h-7 py-0.5">
      Manage
      <VisuallyHidden> {name}</VisuallyHidden>
    </Button>
  )
}
