import type { ControlArgs, ControlOps } from '../protocol/control.ts';

/** Operations that are loaded when the first of them is asked for: most processes are never asked. */
export function lateOps(names: readonly string[], load: () => Promise<ControlOps>): ControlOps {
  let loading: Promise<ControlOps> | undefined;
  const answer = async (name: string, args: ControlArgs): Promise<unknown> => {
    loading ??= load();
    loading.catch(() => (loading = undefined));
    return (await loading)[name]?.(args);
  };
  return Object.fromEntries(names.map((name) => [name, (args: ControlArgs) => answer(name, args)]));
}
