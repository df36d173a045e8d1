// Types of the server's answers about the collection, and of views. Only the check of types needs them, so the page does not load
// this file.

/** A range that includes both ends. */
type Bounds = [number, number];
type NumberField = "clues" | "guesses" | "time_ns" | "er";
type NameField = "status" | "symmetry";
/** A puzzle to search for. */
type FindPuzzle = { shape: string; clues: number[]; isomorphic: boolean };
type Filter = Partial<Record<NumberField, Bounds> & Record<NameField, string[]> & { file: number; find: string; puzzle: FindPuzzle }>;
type SortKey = "row" | "clues" | "status" | "guesses" | "time_ns" | "er";
type Sort = { by: SortKey; descending: boolean };
/** The records that are shown, their order, the files' own columns (null for the first ones), and the row of the current record. */
type View = { filter: Filter; sort: Sort; columns: string[] | null; record: number | null };

type Row = {
  row: number;
  file: number;
  puzzle: string | null;
  clues: number | null;
  status: string | null;
  guesses: number | null;
  time_ns: number | null;
  er: number | null;
  rating_end: string | null;
  symmetries: string[] | null;
  fault: string | null;
  own: string[];
};
/** `unsearched` is the number of records that the search of the filter has not reached yet. */
type Rows = { total: number; rows: Row[]; unsearched: number };
type Picture = { field: string; title: string; svg: string };
type FileState = {
  id: number;
  name: string;
  format: string | null;
  kind: string | null;
  bytes: number;
  records: number;
  note: string | null;
  error: string | null;
  can_reload: boolean;
};
type CollectionState = {
  columns: string[];
  files: FileState[];
  records: number;
  is_indexed: boolean;
  solved: number;
  rated: number;
  is_rating: boolean;
  revision: number;
  error: string | null;
};
