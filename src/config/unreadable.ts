const causes: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'it is a file, not a folder',
  ELOOP: 'its symbolic links lead back to themselves',
}

/** Matches the error message of node-config for a file that it cannot read. */
const unreadableFile = /^Config file (.+) cannot be read\. Error code is: (\w+)\./s

export function sentenceOf(error: unknown, shown: (path: string) => string): string {
  const { path, code } = placeOf(error)
  if (path === undefined || code === undefined) return firstLine(error)
  return `${shown(path)} cannot be read: ${causes[code] ?? code}`
}

export function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}

function placeOf(error: unknown): { readonly path?: string | undefined; readonly code?: string | undefined } {
  if (!(error instanceof Error)) return {}
  const [, path, code] = unreadableFile.exec(error.message) ?? []
  return path === undefined ? (error as NodeJS.ErrnoException) : { path, code }
}
