import { NotAFile } from '../lib/regular-file.ts'

const causes: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENOTDIR: 'it is a file, not a folder',
  ELOOP: 'it is a loop of symbolic links',
}

export function sentenceOf(error: unknown, shown: (path: string) => string): string {
  if (error instanceof NotAFile) return `${shown(error.path)} cannot be read: it is ${error.what}`
  const { path, code } = error as NodeJS.ErrnoException
  if (path === undefined || code === undefined) return firstLine(error)
  return `${shown(path)} cannot be read: ${causes[code] ?? code}`
}

export function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}
