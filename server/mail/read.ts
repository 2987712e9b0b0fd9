// What other domains may ask of mail.
export { findMail, findMailsAbout } from './store.ts'
