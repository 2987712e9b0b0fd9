import { maxPasswordBytes, minPasswordLength } from '#lib/rules/password.ts'
import { html } from '#server/identity/pages/html.ts'
import type { RealmWords } from './types.ts'

export const german: RealmWords = {
  poweredBy: 'Mit Countersign',
  withCountersign: (name) => `${name} und Countersign`,
  username: 'Benutzername',
  newPassword: 'Neues Passwort',
  passwordHint: (characters) => `Mindestens ${characters} Zeichen. Einige Wörter ohne Zusammenhang eignen sich gut.`,
  repeatPassword: 'Neues Passwort wiederholen',
  signIn: {
    title: (name) => `Bei ${name} anmelden`,
    commandLine: 'Damit melden Sie die Befehlszeile auf diesem Computer an.',
    password: 'Passwort',
    submit: 'Anmelden',
    change: 'Passwort ändern',
    notYours: 'Nicht Ihre Organisation?',
    another: 'Andere wählen',
    wrong:
      'Der Benutzername oder das Passwort ist falsch. Ihr Benutzername ist vielleicht ein anderer als Ihre Mailadresse.',
    busy: 'Gerade melden sich zu viele Personen an. Versuchen Sie es gleich noch einmal.',
    tooMany: (minutes) =>
      `Zu viele Versuche. Versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} noch einmal, oder in einem Browser, in dem Sie sich schon einmal angemeldet haben.`,
    inactive: (name) =>
      `Sie sind kein aktives Mitglied von ${name}. Bitten Sie die Administration, Ihre Mitgliedschaft zu aktivieren.`,
  },
  change: {
    title: (name) => `Passwort für ${name} ändern`,
    consequence: 'Danach sind Sie überall abgemeldet und melden sich mit dem neuen Passwort an.',
    current: 'Bisheriges Passwort',
    submit: 'Passwort ändern',
    forgotten: (name) => `Vergessen? Bitten Sie die Administration von ${name} um einen neuen Link.`,
    tooMany: 'Zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
    wrong: 'Der Benutzername oder das bisherige Passwort ist falsch.',
    same: 'Wählen Sie ein anderes Passwort als das bisherige.',
    busy: 'Gerade melden sich zu viele Personen an. Senden Sie das Formular gleich noch einmal.',
    doneTitle: 'Ihr Passwort ist geändert',
    done: (name) => `Sie sind überall abgemeldet. Melden Sie sich bei ${name} ab jetzt mit dem neuen Passwort an.`,
  },
  link: {
    title: (name) => `Passwort für ${name} festlegen`,
    whose: (person) => `Dieser Link ist für ${person}. Er gilt einmal.`,
    submit: 'Passwort festlegen',
    doneTitle: 'Ihr Passwort ist festgelegt',
    done: (name, username) =>
      html`Sie können sich jetzt bei ${name} mit dem Benutzernamen <strong>${username}</strong> und dem neuen Passwort anmelden.`,
    deadTitle: 'Dieser Link funktioniert nicht',
    dead: 'Er wurde schon verwendet, ist abgelaufen oder wurde durch einen neueren ersetzt. Es hat sich nichts geändert.',
    instead: (signIn, name) =>
      html`Wenn Sie schon ein Passwort haben, <a href="${signIn}">melden Sie sich an</a>. Bitten Sie sonst die Administration von ${name} um einen neuen Link.`,
  },
  passwords: {
    short: `Verwenden Sie mindestens ${minPasswordLength} Zeichen.`,
    long: `Verwenden Sie höchstens ${maxPasswordBytes} Bytes.`,
    uniform: 'Verwenden Sie mindestens fünf verschiedene Zeichen.',
    obvious:
      'Verwenden Sie ein Passwort, das nicht aus Ihrem Namen, Ihrer E-Mail-Adresse oder Ihrer Organisation besteht.',
    common: 'Viele Menschen verwenden dieses Passwort, deshalb ist es leicht zu erraten. Wählen Sie ein anderes.',
    different: 'Die beiden Passwörter stimmen nicht überein.',
  },
  consent: {
    title: 'Dieses Programm zulassen?',
    asks: (program, person) =>
      html`${program === undefined ? 'Ein Programm' : html`Ein Programm, das sich „${program}“ nennt,`} möchte als <strong>${person}</strong> Werkzeuge aufrufen.`,
    publisher: 'Herausgegeben von',
    unknownPublisher: 'Nicht bekannt: Das Programm hat sich selbst registriert, und nichts belegt seinen Namen',
    returnsTo: 'Kehrt zurück zu',
    thisComputer: '(dieser Computer)',
    agent: 'Agent',
    toolsOf: (server) => html`Werkzeuge von ${server}`,
    consequence:
      'Für jeden Aufruf gelten die Richtlinien und Freigaben, und jeder Aufruf wird unter Ihrem Namen protokolliert.',
    anyProgram:
      'Jedes Programm auf diesem Computer kann sich als dieses ausgeben: Lassen Sie es nur zu, wenn Sie es gerade selbst gestartet haben.',
    allow: 'Zulassen',
    deny: 'Ablehnen',
    nothing: {
      title: 'Unter dieser Adresse gibt es keine Werkzeuge',
      text: 'Der Agent oder der Werkzeugserver existiert nicht, oder keine Version des Agenten ist freigegeben. Prüfen Sie die Adresse im Programm.',
    },
  },
  signOut: {
    leaving: 'Sie werden abgemeldet',
    question: 'Abmelden?',
    consequence: (name) => `Damit endet Ihre Sitzung bei ${name} in diesem Browser, auch für die Befehlszeile.`,
    submit: (name) => `Bei ${name} abmelden`,
    stay: 'Angemeldet bleiben',
    doneTitle: 'Sie sind abgemeldet',
    again: 'Wieder anmelden',
  },
  problems: {
    notAccepted: 'Dieses Formular kann nicht angenommen werden',
    onlyGetAndPost: 'Diese Seite nimmt nur GET- und POST-Anfragen an.',
    otherSite: 'Das Formular wurde von einer anderen Website gesendet. Es hat sich nichts geändert.',
    expired: {
      title: 'Diese Anmeldung gilt nicht mehr',
      text: 'Sie war zu lange offen, wurde schon abgeschlossen oder gehört zu einem anderen Browser. Es hat sich nichts geändert.',
    },
    notCompleted: 'Diese Anfrage kann nicht ausgeführt werden',
    failed: 'Etwas ist schiefgegangen. Versuchen Sie es gleich noch einmal.',
    invalidRequest: 'Die Anwendung hat eine ungültige Anfrage gesendet.',
    startAgain: 'Neu beginnen',
    code: (code) => `Code: ${code}`,
  },
}
