import type { Asker, MailWords } from './types.ts'

const through: Readonly<Record<Asker['kind'], (name: string) => string>> = {
  named: (name) => `durch ein Programm, das sich „${name}“ nennt`,
  client: (name) => `durch das Programm ${name}`,
  connection_token: (name) => `mit dem Verbindungstoken „${name}“`,
  mcp: () => 'durch einen MCP-Client',
}

export const german: MailWords = {
  approval: {
    subjects: {
      requested: 'Entscheidung erbeten',
      staged: 'Entscheidung erbeten',
      escalated: 'An Sie eskaliert',
      overdue: 'An Sie eskaliert',
      reminded: 'Erinnerung',
    },
    whyNow: {
      requested: undefined,
      staged: 'Die Personen vor Ihnen haben genehmigt.',
      escalated: 'Die zuerst zuständigen Personen haben die Anfrage an Sie eskaliert.',
      overdue: 'An Sie eskaliert, weil die zuerst zuständigen Personen nicht rechtzeitig entschieden haben.',
      reminded: 'Sie haben über diese Anfrage noch nicht entschieden.',
    },
    agent: (name) => `Agent: ${name}`,
    requestedBy: (name, program) =>
      `Angefragt von: ${name}${program === undefined ? '' : `, ${through[program.kind](program.name)}`}`,
    environment: (name) => `Umgebung: ${name}`,
    risk: {
      low: 'Niedriges Risiko',
      medium: 'Mittleres Risiko',
      high: 'Hohes Risiko',
      critical: 'Kritisches Risiko',
    },
    decideBy: (time) => `Zu entscheiden bis: ${time}`,
    review: 'Ansehen und entscheiden:',
    because: (tenant) => `Sie erhalten diese Mail, weil Sie in einer Freigabegruppe von ${tenant} sind.`,
    becauseFor: (tenant, person) =>
      `Sie erhalten diese Mail, weil Sie ${person} vertreten und diese Person in einer Freigabegruppe von ${tenant} ist.`,
  },
  news: {
    asked: {
      subject: 'Rückfrage zu einer Anfrage',
      line: 'Zu dieser Anfrage gibt es eine Rückfrage.',
      because: (tenant) =>
        `Sie erhalten diese Mail, weil Sie diese Anfrage in ${tenant} gestellt haben oder als die anfragende Person gelten.`,
    },
    answered: {
      subject: 'Ihre Rückfrage wurde beantwortet',
      line: 'Ihre Rückfrage zu dieser Anfrage wurde beantwortet.',
      because: (tenant) => `Sie erhalten diese Mail, weil Sie in ${tenant} zu dieser Anfrage rückgefragt haben.`,
    },
    changes_requested: {
      subject: 'Änderungen erbeten',
      line: 'Diese Anfrage wurde beendet, weil andere Argumente gewünscht sind. Sie können sie auf ihrer Seite vorschlagen.',
      because: (tenant) =>
        `Sie erhalten diese Mail, weil Sie diese Anfrage in ${tenant} gestellt haben oder als die anfragende Person gelten.`,
    },
  },
  open: 'Öffnen:',
  passwordChanged: (tenant) => ({
    subject: `Ihr Passwort bei ${tenant} wurde geändert`,
    body: 'Ihr Passwort wurde mit dem bisherigen geändert, und Sie sind überall abgemeldet.\n\nWenn Sie das nicht waren, bitten Sie die Administration sofort, Ihr Passwort zurückzusetzen.\n',
  }),
  invited: ({ tenant, by, username, url, until }) => ({
    subject: `Sie sind zu ${tenant} eingeladen`,
    body: `${by} hat Sie zu ${tenant} eingeladen.\n\nIhr Benutzername: ${username}\n\nLegen Sie Ihr Passwort fest:\n${url}\n\nDer Link gilt einmal, bis ${until}. Wer ihn hat, kann Ihr Konto verwenden: Geben Sie ihn nicht weiter.\n\nWenn Sie das nicht erwarten, ignorieren Sie diese Mail.\n`,
  }),
  reset: ({ tenant, by, url, until, passkeysRemoved }) => ({
    subject: `Ihr Passwort bei ${tenant} wurde zurückgesetzt`,
    body: `${by} hat Ihr Passwort bei ${tenant} zurückgesetzt. Sie sind überall abgemeldet.${passkeysRemoved === '' ? '' : ` Diese Passkeys wurden entfernt: ${passkeysRemoved}.`}\n\nLegen Sie Ihr Passwort fest:\n${url}\n\nDer Link gilt einmal, bis ${until}. Wer ihn hat, kann Ihr Konto verwenden: Geben Sie ihn nicht weiter.\n\nWenn Sie nicht darum gebeten haben, legen Sie das Passwort mit dem Link fest, und informieren Sie eine andere Person der Administration.\n`,
  }),
  waiting: ({ agent, input, until, url }) => ({
    subject: `${agent} wartet auf „${input}“`,
    body: `${agent} wartet auf die Eingabe „${input}“.\n\nDas Warten endet: ${until}\n\nÖffnen Sie die Ausführung, um Einzelheiten zu sehen und zu antworten:\n${url}\n`,
  }),
}
