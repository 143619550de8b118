/** An object whose `members` are others than those of `real`, whatever kind of object that is. */
export function withMembers<T extends object>(real: T, members: Partial<T>): T {
  return new Proxy(real, {
    get: (_, name) => {
      const { value } = Object.getOwnPropertyDescriptor(members, name) ?? { value: Reflect.get(real, name) }
      return typeof value === 'function' ? value.bind(real) : value
    },
  })
}
