/** Second-level names under which organisations register, as in `acme.co.uk`. */
const shared = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'org'])

/**
 * The short name that a text of the sign-in form means: the text itself, or of a mail address the name of its domain: "acme" of
 * maria@mail.acme.example. It is a guess from the address alone, so the form asks the service nothing that reveals who has an account.
 */
export function organisationOf(text: string): string {
  const entered = text.trim().toLowerCase()
  const at = entered.lastIndexOf('@')
  if (at < 0) return entered
  const labels = entered.slice(at + 1).split('.')
  const name = labels.at(-2) ?? ''
  return (shared.has(name) ? labels.at(-3) : undefined) ?? name
}
