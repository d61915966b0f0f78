package starter

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// methods are the possible names of the method that handles a message.
var methods = []string{"Receive", "Handle", "HandleMessage", "OnMessage", "Step"}

// An Actor is a type with a method that handles a message.
type Actor struct {
	Name, Method string
	// Own is set if the type implements pulse.Actor.
	Own bool

	named   *types.Named
	method  *types.Func
	message *types.Var // the parameter for the message
	context bool       // set if the parameter before the message is a context.Context
}

// Actors lists the types that may be actors. Types that implement pulse.Actor come first, then
// the other types in the order of the files.
func (p *Package) Actors() (list []*Actor) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if a := p.actor(spec.(*ast.TypeSpec)); a != nil {
					list = append(list, a)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Actor) int {
		switch {
		case a.Own && !b.Own:
			return -1
		case b.Own && !a.Own:
			return 1
		}
		return 0
	})
	return list
}

// actor returns the actor for a type declaration, nil if the type is not an actor. A generic type
// is not an actor, because its type arguments are unknown.
func (p *Package) actor(spec *ast.TypeSpec) *Actor {
	obj, ok := p.info.Defs[spec.Name].(*types.TypeName)
	if !ok {
		return nil
	}
	named, ok := obj.Type().(*types.Named) // an alias is not an actor
	if !ok || named.TypeParams().Len() > 0 || types.IsInterface(named) {
		return nil
	}
	for _, name := range methods {
		for method := range named.Methods() {
			if method.Name() != name {
				continue
			}
			a := &Actor{Name: obj.Name(), Method: name, named: named, method: method}
			if p.takes(a, method.Signature()) {
				return a
			}
		}
	}
	return nil
}

// Uncalled lists the methods of the package that have the name of a handler, as "Door.Receive". If
// Actors finds no actor, the list shows the user which methods Actors has considered. Actors
// accepts neither methods of generic types nor methods whose arguments only a framework or the user
// can create.
func (p *Package) Uncalled() (list []string) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || !slices.Contains(methods, m.Name.Name) || m.Type.Params.NumFields() == 0 {
				continue
			}
			if fn, ok := p.info.Defs[m.Name].(*types.Func); ok {
				typ := fn.Signature().Recv().Type()
				if pointer, ok := typ.(*types.Pointer); ok {
					typ = pointer.Elem()
				}
				if named, ok := types.Unalias(typ).(*types.Named); ok {
					list = append(list, named.Obj().Name()+"."+m.Name.Name)
				}
			}
		}
	}
	return list
}

// takes reports whether a generated property can call a method with the given signature to handle a
// message. It sets the fields of the actor that describe the parameters of the method.
func (p *Package) takes(a *Actor, s *types.Signature) bool {
	in := s.Params()
	if s.Variadic() || in.Len() == 0 || in.Len() > 2 {
		return false
	}
	a.message = in.At(in.Len() - 1)
	if in.Len() == 2 {
		first := in.At(0).Type()
		empty, isInterface := a.message.Type().Underlying().(*types.Interface)
		if pointer, ok := first.(*types.Pointer); ok && isNamed(pointer.Elem(), p.paths.Pulse, "Ctx") {
			a.Own = isInterface && empty.Empty() && s.Results().Len() == 0
			return a.Own
		}
		if a.context = isNamed(first, "context", "Context"); !a.context {
			return false
		}
	}
	t := a.message.Type()
	return !isNamed(t, "context", "Context") && p.reachable(t) && !isFramework(t) && (isAny(t) || len(p.messages(a)) > 0)
}

// isFramework reports whether a parameter of type t is the context of an actor framework, from
// which the handler gets the message. Such a type is an interface with a method Message that has no
// parameters.
func isFramework(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		if m.Name() == "Message" && m.Signature().Params().Len() == 0 {
			return true
		}
	}
	return false
}

func isNamed(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

// reachable reports whether a new file of the package can refer to a type.
func (p *Package) reachable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		obj := t.Obj()
		for arg := range t.TypeArgs().Types() {
			if !p.reachable(arg) {
				return false
			}
		}
		return obj.Pkg() == nil || obj.Parent() == obj.Pkg().Scope() && (obj.Pkg() == p.types || obj.Exported())
	case *types.Pointer:
		return p.reachable(t.Elem())
	case *types.Slice:
		return p.reachable(t.Elem())
	case *types.Array:
		return p.reachable(t.Elem())
	case *types.Map:
		return p.reachable(t.Key()) && p.reachable(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if !p.reachable(v.Type()) {
				return false
			}
		}
	case *types.Signature:
		return p.reachable(t.Params()) && p.reachable(t.Results())
	case *types.TypeParam:
		return false
	}
	return true
}

// A sight is one kind of message that a handler expects. It is either a type of messages, or a
// constant that the handler compares with the message.
type sight struct {
	typ      types.Type
	constant ast.Expr // the constant; nil for a type
}

// mostKinds limits the number of kinds of messages that a property draws.
const mostKinds = 16

// messages returns the kinds of messages that an actor handles, according to the code of the
// handler. If the code shows none and the message is an interface with methods, messages returns
// the types that implement it.
func (p *Package) messages(a *Actor) (list []sight) {
	switch t := a.message.Type().Underlying().(type) {
	case *types.Interface:
		s := seer{Package: p, seen: map[*types.Var]bool{}}
		s.look(a.method, a.message)
		if list = s.list; len(list) == 0 && !t.Empty() {
			list = p.implementers(t)
		}
	default:
		list = []sight{{typ: a.message.Type()}}
	}
	return list[:min(len(list), mostKinds)]
}

// implementers returns the types of the package that implement an interface.
func (p *Package) implementers(i *types.Interface) (list []sight) {
	for _, name := range p.types.Scope().Names() {
		obj, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(obj.Type()) {
			continue
		}
		if n, ok := obj.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
			continue
		}
		for _, t := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
			if types.Implements(t, i) {
				list = append(list, sight{typ: t})
				break
			}
		}
	}
	return list
}

// A seer finds the kinds of messages that functions expect.
type seer struct {
	*Package
	seen map[*types.Var]bool // the parameters that were inspected already
	list []sight             // the kinds of messages found so far
}

// look finds the kinds of messages that a function expects in one of its parameters. If the
// function passes the parameter to another function, look also inspects that function.
func (s *seer) look(f *types.Func, message *types.Var) {
	body := s.body(f)
	if body == nil || s.seen[message] {
		return
	}
	s.seen[message] = true
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && s.info.Uses[id] == message
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSwitchStmt:
			if is(asserted(n.Assign)) {
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						s.addType(e)
					}
				}
			}
		case *ast.TypeAssertExpr:
			if n.Type != nil && is(n.X) {
				s.addType(n.Type)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && is(n.Tag) {
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						s.addConstant(e)
					}
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL && is(n.X) {
				s.addConstant(n.Y)
			} else if n.Op == token.EQL && is(n.Y) {
				s.addConstant(n.X)
			}
		case *ast.CallExpr:
			if callee := s.callee(n); callee != nil {
				for i, arg := range n.Args {
					if is(arg) && i < callee.Signature().Params().Len() {
						s.look(callee.Origin(), callee.Origin().Signature().Params().At(i))
					}
				}
			}
		}
		return true
	})
}

// asserted returns the expression x of the statement in "switch x.(type)".
func asserted(s ast.Stmt) ast.Expr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		e = s.Rhs[0]
	case *ast.ExprStmt:
		e = s.X
	}
	return e.(*ast.TypeAssertExpr).X
}

// callee returns the called function, nil if it is unknown.
func (s *seer) callee(c *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := s.info.Uses[id].(*types.Func)
	return f
}

// body returns the body of a function, nil if the function is not declared in the package.
func (p *Package) body(f *types.Func) *ast.BlockStmt {
	for _, file := range p.files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && p.info.Defs[d.Name] == f {
				return d.Body
			}
		}
	}
	return nil
}

// addType adds the type that e denotes to the kinds of messages. It ignores interfaces and the
// types of package pulse.
func (s *seer) addType(e ast.Expr) {
	tv := s.info.Types[e]
	if !tv.IsType() || types.IsInterface(tv.Type) || !s.reachable(tv.Type) {
		return
	}
	if n, ok := tv.Type.(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == s.paths.Pulse {
		return
	}
	same := func(o sight) bool { return o.constant == nil && types.Identical(o.typ, tv.Type) }
	if !slices.ContainsFunc(s.list, same) {
		s.list = append(s.list, sight{typ: tv.Type})
	}
}

// addConstant adds the value e, with which a message is compared, to the kinds of messages. It
// ignores e unless it is a literal or a constant of the package.
func (s *seer) addConstant(e ast.Expr) {
	tv := s.info.Types[e]
	switch x := e.(type) {
	case *ast.BasicLit:
	case *ast.Ident:
		if obj := s.info.Uses[x]; obj == nil || obj.Parent() != s.types.Scope() && obj.Parent() != types.Universe {
			return
		}
	default:
		return
	}
	same := func(o sight) bool {
		return o.constant != nil && s.info.Types[o.constant].Value.ExactString() == tv.Value.ExactString() && types.Identical(o.typ, tv.Type)
	}
	if tv.Value != nil && !slices.ContainsFunc(s.list, same) {
		s.list = append(s.list, sight{typ: tv.Type, constant: e})
	}
}
